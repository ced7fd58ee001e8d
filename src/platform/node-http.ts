/**
 * Node's module `http`. An `import` of it reads all exports, and two of them load Node's `fetch`,
 * which takes a tenth of the time to start.
 */
export const { Agent, createServer, METHODS, request, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
