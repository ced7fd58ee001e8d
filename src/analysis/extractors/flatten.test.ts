import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { flatten } from './flatten.ts';

describe('the flat view of settings', () => {
  it('has the usual names and omits missing settings', () => {
    const flat = flatten({
      version: '1.2',
      mutex: ['abc'],
      endpoints: [
        { protocol: 'tcp', usage: 'c2', host: 'one.example.invalid', port: 4443 },
        { protocol: 'tcp', usage: 'c2', host: '192.0.2.7', port: 4443 },
        { protocol: 'https', usage: 'dead-drop', url: 'https://paste.example.invalid/x' },
        { protocol: 'ftp', usage: 'upload', host: '192.0.2.8', port: 21 },
      ],
      other: { 'Install Folder': '%AppData%', Empty: '' },
    });
    assert.deepEqual(flat, {
      C2s: 'one.example.invalid, 192.0.2.7',
      Ports: '4443',
      Version: '1.2',
      Mutex: 'abc',
      Uploads: '192.0.2.8:21',
      'Dead Drops': 'https://paste.example.invalid/x',
      'Install Folder': '%AppData%',
    });
  });

  it('marks heuristic settings', () => {
    assert.deepEqual(flatten({ endpoints: [], heuristic: true }), { Certainty: 'heuristic' });
  });
});
