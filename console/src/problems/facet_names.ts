// What a list of problems can be narrowed by. Apart from the list itself: the router knows the names before any page is loaded.
export const FACETS = ["severity", "code", "status", "site", "zone", "model", "firmware", "age"] as const;
export type Facet = (typeof FACETS)[number];
