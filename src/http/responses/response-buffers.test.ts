import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, it } from 'node:test';
import type { FastifyReply } from 'fastify';
import { ResponseBuffers } from './response-buffers.ts';

const newReply = () => ({ raw: new EventEmitter() }) as unknown as FastifyReply;
/** Of a usual page. */
const LONG = Array.from({ length: 100 }, (_, index) => `{"text":"${'ü'.repeat(300)}${index}"}`);

describe('the bytes of a page', () => {
  for (const [title, items] of [
    ['nothing', []],
    ['a short text', ['1']],
    ['a usual page', LONG],
    ['a very long page', [...LONG, ...LONG, ...LONG]],
  ] as const)
    it(`are the beginning, the items and the end, with ${title}`, () => {
      const encoded = new ResponseBuffers().encode(items);
      const bytes = encoded.complete(newReply(), '{"a":[', '],"é":1}');
      assert.equal(bytes.toString(), `{"a":[${items.join()}],"é":1}`);
    });

  it('may have a beginning and an end that are longer than the space left for them', () => {
    for (const [beginning, end] of [
      ['b'.repeat(100), 'e'],
      ['b', 'e'.repeat(100_000)],
    ] as const) {
      const bytes = new ResponseBuffers().encode(LONG).complete(newReply(), beginning, end);
      assert.equal(bytes.toString(), `${beginning}${LONG.join()}${end}`);
    }
  });
});

describe('a buffer', () => {
  it('is used again only after its response was sent', () => {
    const buffers = new ResponseBuffers();
    const first = newReply();
    const bytes = buffers.encode(LONG).complete(first, '{', '}');
    const second = newReply();
    const others = buffers.encode([...LONG, 'other']).complete(second, '[', ']');
    assert.notEqual(bytes.buffer, others.buffer);
    assert.equal(buffers.free, 0);
    first.raw.emit('finish');
    assert.equal(buffers.free, 1);
    const third = buffers.encode(LONG.toReversed()).complete(newReply(), '(', ')');
    assert.equal(third.buffer, bytes.buffer);
    assert.equal(others.toString(), `[${LONG.join()},other]`);
  });

  it('of a response that is cut off is not used again', () => {
    const buffers = new ResponseBuffers();
    const reply = newReply();
    buffers.encode(LONG).complete(reply, '{', '}');
    reply.raw.emit('close');
    assert.equal(buffers.free, 0);
  });

  it('of a short page is no longer than the page', () => {
    const buffers = new ResponseBuffers();
    const reply = newReply();
    buffers.encode(['1']).complete(reply, '{', '}');
    reply.raw.emit('finish');
    assert.equal(buffers.free, 0);
  });
});
