import type { StixContext, StixObject } from './stix-object.ts';

interface Marking {
  readonly type: string;
  readonly id: string;
  readonly created: string;
  readonly [member: string]: unknown;
}

/** TLP:CLEAR, as its extension of STIX defines it. */
const CLEAR = toObject({
  type: 'marking-definition',
  spec_version: '2.1',
  id: 'marking-definition--94868c89-83c2-464b-929b-a1a8aa3c8487',
  created: '2022-10-01T00:00:00.000Z',
  name: 'TLP:CLEAR',
  extensions: {
    'extension-definition--60a3c5c5-0d10-413e-aab3-9e08dde9e88d': {
      extension_type: 'property-extension',
      tlp_2_0: 'clear',
    },
  },
});

/** TLP:WHITE of STIX 2.1, section 7.2.1.4. Clients compare it byte by byte. */
const WHITE = toObject({
  type: 'marking-definition',
  spec_version: '2.1',
  id: 'marking-definition--613f2e26-407d-48c7-9eca-b8e91df99dc9',
  created: '2017-01-20T00:00:00.000Z',
  definition_type: 'tlp',
  name: 'TLP:WHITE',
  definition: { tlp: 'white' },
});

export function markingOf({ tlp }: Pick<StixContext, 'tlp'>): StixObject {
  return tlp === '1' ? WHITE : CLEAR;
}

function toObject(marking: Marking): StixObject {
  const { type, id, created } = marking;
  return { type, id, version: created, text: JSON.stringify(marking) };
}
