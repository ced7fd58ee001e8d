import swagger from '@fastify/swagger';
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { App } from './app.ts';

/** Collects the OpenAPI document from the routes' own schemas, so it cannot say anything else than they do. */
export async function openApi(app: App): Promise<void> {
  const options = { schemaRegistry: z.globalRegistry };
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Rapsheet',
        version: '1',
        description:
          'Abuse reports that reach the abused service, and static analysis reports by file hash.\n\nErrors are `{error, successful: false}`; the stable word for programs is in `X-Error-Code`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: '/', description: 'This server' }],
      components: {
        securitySchemes: {
          token: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The token itself, or "Bearer <token>"',
          },
        },
      },
      security: [{ token: [] }],
    },
    transform: createJsonSchemaTransform(options),
    transformObject: createJsonSchemaTransformObject(options),
  });
}
