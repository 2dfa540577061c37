"""Records that cross module borders. They hold data and know nothing of disk, screen or clock."""
