"""All SQL of identity. Lookups before the tenant is known return ids; everything else is read inside the tenant."""
