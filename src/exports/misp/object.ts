import { uuidV5 } from '../../domain/uuid.ts';

/**
 * The parts of a report in a MISP event (MISP standard, core format), each an object of an official
 * template:
 *
 *   c2    ip-port  ip-dst or hostname, dst-port
 *   file  file     sha256                         communicates-with the C2
 *   link  report   link                           describes the file
 *
 * MISP stores equal values of an event only once, unless they are in objects.
 */
export type Part = keyof typeof PARTS;

const PARTS = {
  c2: {
    template: {
      name: 'ip-port',
      'meta-category': 'network',
      template_uuid: '9f8cea74-16fe-4968-a2b4-026676949ac6',
      template_version: '10',
    },
    reference: undefined,
  },
  file: {
    template: {
      name: 'file',
      'meta-category': 'file',
      template_uuid: '688c46fb-5edb-40a3-8273-1af7923e2215',
      template_version: '25',
    },
    reference: { to: 'c2', type: 'communicates-with' },
  },
  link: {
    template: {
      name: 'report',
      'meta-category': 'misc',
      template_uuid: '70a68471-df22-4e3f-aa1a-5a3be19f82df',
      template_version: '8',
    },
    reference: { to: 'file', type: 'describes' },
  },
} as const;

/** A value and what it is in its object. */
export interface Value {
  readonly type: 'ip-dst' | 'hostname' | 'port' | 'sha256' | 'link';
  readonly category: 'Network activity' | 'Payload delivery' | 'External analysis';
  readonly object_relation: 'ip-dst' | 'hostname' | 'dst-port' | 'sha256' | 'link';
  readonly value: string;
}

/** The values of each part that the report has. */
export type Values = Readonly<Partial<Record<Part, readonly Value[]>>>;

interface ValueUse {
  /** Whether the value may be used for detection. */
  readonly to_ids: boolean;
  readonly comment: string;
  readonly disable_correlation: boolean;
  readonly Tag?: readonly { readonly name: string }[];
}

/** The event whose objects are written. No two events may have an object with the same id. */
export interface ObjectOwner {
  readonly namespace: string;
  /** `feed`: the event of the report's day; else the slug of an export. */
  readonly event: 'feed' | `export:${string}`;
}

export interface ObjectContent {
  readonly reportId: string;
  readonly values: Values;
  readonly useOf: (part: Part, value: Value) => ValueUse;
  readonly reportedAt: string;
  /** In seconds since 1970. MISP ignores a change that does not raise it. */
  readonly timestamp: number;
  readonly isDeleted: boolean;
}

/**
 * The objects of a report, each as JSON. All ids are derived from the report, so that an event that
 * is fetched again changes what it created.
 */
export function writeObjects(owner: ObjectOwner, content: ObjectContent): readonly string[] {
  const { values } = content;
  const parts = Object.keys(PARTS) as readonly Part[];
  return parts.flatMap((part) => {
    const ofPart = values[part];
    return ofPart === undefined ? [] : writeObject(owner, content, part, ofPart);
  });
}

function writeObject(
  { namespace, event }: ObjectOwner,
  { reportId, values, useOf, reportedAt, timestamp: seconds, isDeleted }: ObjectContent,
  part: Part,
  ofPart: readonly Value[],
): string {
  const { template, reference } = PARTS[part];
  const idOf = (item: string) => uuidV5(namespace, `misp:${event}:${reportId}:${item}`);
  const timestamp = String(seconds);
  const hasReference = reference !== undefined && values[reference.to] !== undefined && !isDeleted;
  return JSON.stringify({
    uuid: idOf(`${part}:object`),
    ...template,
    timestamp,
    deleted: isDeleted,
    first_seen: reportedAt,
    Attribute: ofPart.map((value) => ({
      uuid: idOf(`${part}:${value.object_relation}`),
      ...value,
      ...useOf(part, value),
      timestamp,
      deleted: isDeleted,
    })),
    ...(hasReference && {
      ObjectReference: [
        {
          uuid: idOf(`${part}:reference`),
          object_uuid: idOf(`${part}:object`),
          referenced_uuid: idOf(`${reference.to}:object`),
          relationship_type: reference.type,
          timestamp,
        },
      ],
    }),
  });
}
