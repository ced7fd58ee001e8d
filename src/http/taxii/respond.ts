import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptRefusal, TAXII_TYPE } from './media-type.ts';

/** Refuses a request that excludes the only type of answers, after its token was checked. */
export function negotiate(
  request: FastifyRequest,
  _: FastifyReply,
  done: (error?: Error) => void,
): void {
  done(acceptRefusal(request.headers.accept));
}

export function sendTaxii(reply: FastifyReply, body: unknown): FastifyReply {
  return sendBytes(reply, JSON.stringify(body));
}

/** As bytes: fastify would add a character set to the type of a text. */
export function sendBytes(reply: FastifyReply, json: string): FastifyReply {
  return reply.type(TAXII_TYPE).send(Buffer.from(json));
}
