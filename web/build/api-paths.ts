/** The paths of the API, for the proxy of the development server. All others are pages. */
export const API_PATHS =
  '^/(?:(?:api|feed|misp|private|admin|docs|threatfox)/|(?:session|livez|readyz|healthz|openapi\\.json|docs|taxii2)(?:[/?]|$))';
