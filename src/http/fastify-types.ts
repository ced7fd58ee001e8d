import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Caller } from '../domain/accounts/caller.ts';
import type { Service } from '../domain/services/service.ts';
import type { Access } from './gate/access.ts';
import type { MemoryBudget } from './gate/memory-budget.ts';
import type { Permission } from './gate/permission-watch.ts';
import type { ResponseHeader } from './openapi/headers.ts';

/** The fastify server. Route schemas are zod schemas, and handlers receive their parsed output. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What this server adds to fastify's own types. */
declare module 'fastify' {
  interface FastifyInstance {
    memory: MemoryBudget;
    /** Records the duration of a request. Responses that fastify sends are recorded by a hook. */
    recordRequest(request: FastifyRequest, route: string, status: number): void;
    /** Logs a response that failed after its headers were sent. */
    logAbortedResponse(error: unknown, requestId: string): void;
  }

  interface FastifyContextConfig {
    access?: Access;
    /**
     * Whether a call takes a unit of the quota. A browser must then prove that a page of this
     * server makes the call, as it must for a change.
     */
    charges?: boolean;
    /** The content type of the body; JSON if absent. */
    bodyType?: string;
    /** The values that a body of JSON may have, if they are more than others need. */
    maxValues?: number;
    /**
     * Whether a stream ticket is accepted instead of a token. Only streams accept one, because a
     * browser cannot set a header when it opens a stream.
     */
    acceptsTicket?: boolean;
    /**
     * For long requests or responses: the gate checks the permission every second. When the
     * permission ends, `response` closes the connection; with `body` the handler ends the transfer
     * through `request.permission`.
     */
    endsWithPermission?: 'body' | 'response';
  }

  interface FastifyRequest {
    /** Set by the gate on every route that is not public. */
    caller: Caller;
    /** Set by the gate on every route whose path names a service. */
    service: Service;
    /** The digest of the token that the ticket was issued for, if the request carries a ticket. */
    ticketDigest: Uint8Array | undefined;
    /** When the request arrived, by `performance.now()`. */
    startedAt: number;
    /** Set on routes with `endsWithPermission`. */
    permission: Permission | undefined;
  }

  interface FastifySchema {
    /** Response headers by status, in addition to those that every response has. */
    responseHeaders?: Readonly<Record<number, readonly ResponseHeader[]>>;
  }
}
