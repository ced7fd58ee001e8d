import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatNodeName,
  isAdmitted,
  NO_SCHEMA,
  oldestAfter,
  parseOlderNodes,
  schemaOf,
  schemaOfNode,
} from './admission.ts';

describe('the admission of nodes', () => {
  it('is declared in the first line of a migration', () => {
    assert.equal(parseOlderNodes('-- older nodes: may run\ncreate table a (b);'), 'may run');
    assert.equal(parseOlderNodes('-- older nodes: must stop\n'), 'must stop');
    for (const sql of [
      '',
      'create table a (b);',
      '-- older nodes: perhaps\n',
      '\n-- older nodes: may run\n',
    ])
      assert.equal(parseOlderNodes(sql), undefined);
  });

  it('goes by the number of the last migration', () => {
    assert.equal(schemaOf('0041-admission'), 41);
    assert.equal(schemaOf('being-moved'), 0);
    assert.equal(isAdmitted(41, 41), true);
    assert.equal(isAdmitted(42, 41), true);
    assert.equal(isAdmitted(41, 42), false);
    assert.equal(isAdmitted(99_999, NO_SCHEMA), false);
  });

  it('ends with the last migration that older nodes must not outlive', () => {
    const migrations = [
      { name: '0041-a', olderNodes: 'must stop' },
      { name: '0042-b', olderNodes: 'must stop' },
      { name: '0043-c', olderNodes: 'may run' },
    ] as const;
    assert.equal(oldestAfter(migrations), 42);
    assert.equal(oldestAfter(migrations.slice(2)), 0);
    assert.equal(oldestAfter([]), 0);
  });
});

describe('the name of a node', () => {
  const node = { schema: 41, host: 'web-1.example', pid: 4711, nonce: '9f3a' };

  it('has its schema, host and process', () => {
    assert.equal(formatNodeName(node), 'rapsheet/0041 web-1.example:4711#9f3a');
    assert.equal(schemaOfNode(formatNodeName(node)), 41);
    assert.equal(schemaOfNode(formatNodeName({ ...node, schema: 12_345 })), 12_345);
  });

  it('fits into the name of a connection, whatever the host is called', () => {
    const named = formatNodeName({ ...node, host: `ä ${'x'.repeat(300)}`, pid: 4_194_304 });
    assert.ok(Buffer.byteLength(named) <= 63, named);
    assert.match(named, /^rapsheet\/0041 __x+:4194304#9f3a$/);
  });

  it('is known from those of earlier versions and of other programs', () => {
    assert.equal(schemaOfNode('rapsheet'), 0);
    for (const other of ['', 'psql', 'rapsheets', 'rapsheet/x 1', 'my rapsheet/0041 a:1#b'])
      assert.equal(schemaOfNode(other), undefined);
  });
});
