"""The rules, as pure functions from records to decisions. No disk, no clock, no screen."""
