"""What the routes of problems take and answer: from these come the API document, the encoding and the client types."""
