"""Tenants, sites, zones, groups, miners and their expected states."""
