// Facets of the list of problems. A file of its own: the router needs the names before any page is loaded.
export const FACETS = ["severity", "code", "status", "site", "zone", "model", "firmware", "age"] as const;
export type Facet = (typeof FACETS)[number];
