// The API's documentation, from the document that this server itself answers with.
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#api",
  deepLinking: true,
  docExpansion: "none",
  filter: true,
  validatorUrl: null,
  // the console's cookie signs requests in; what changes something needs the CSRF token, under "Authorize"
  withCredentials: true,
});
