import type { Budget, EvidenceNote, Findings, Format } from '../../src/analysis/formats/format.ts';
import { Subject } from '../../src/analysis/subject.ts';
import type { Facts, IndicatorKind } from '../../src/domain/samples/analysis.ts';

export interface Allowance {
  readonly members?: number;
  readonly bytes?: number;
  /** Whether the time budget is used up. */
  readonly isOver?: () => boolean;
}

/** Records the findings of a format. */
export interface RecordedFindings extends Findings {
  readonly tags: Map<string, EvidenceNote>;
  readonly allFacts: Record<string, unknown>;
  readonly nested: { readonly name: string; readonly bytes: Buffer }[];
  readonly limits: string[];
  readonly indicators: {
    readonly kind: IndicatorKind;
    readonly value: string;
    readonly offset: number;
  }[];
}

export function recordFindings(allowance: Allowance = {}): RecordedFindings {
  const limits: string[] = [];
  const tags = new Map<string, EvidenceNote>();
  const allFacts: Record<string, unknown> = {};
  const nested: { name: string; bytes: Buffer }[] = [];
  const indicators: { kind: IndicatorKind; value: string; offset: number }[] = [];
  return {
    tags,
    allFacts,
    nested,
    limits,
    indicators,
    budget: new CountedBudget(allowance, limits),
    tag: (name, seen = {}) => void tags.set(name, seen),
    facts: (facts: Facts) => void Object.assign(allFacts, facts),
    indicator: (kind, value, offset) => void indicators.push({ kind, value, offset }),
    nest: (name, bytes) => void nested.push({ name, bytes }),
    limit: (what) => void limits.push(what),
  };
}

class CountedBudget implements Budget {
  membersLeft: number;
  bytesLeft: number;
  readonly isOver: () => boolean;
  readonly #limits: string[];

  constructor({ members = 1000, bytes = 256_000_000, isOver }: Allowance, limits: string[]) {
    this.membersLeft = members;
    this.bytesLeft = bytes;
    this.isOver = isOver ?? (() => false);
    this.#limits = limits;
  }

  takeMember(): boolean {
    if (this.membersLeft > 0) {
      this.membersLeft -= 1;
      return true;
    }
    this.#limits.push('members');
    return false;
  }

  takeBytes(count: number): boolean {
    if (count <= this.bytesLeft) {
      this.bytesLeft -= count;
      return true;
    }
    this.#limits.push('bytes');
    return false;
  }
}

/** Runs a format on bytes, if it matches, and returns its findings. */
export async function inspect(
  format: Format,
  bytes: Buffer,
  { name = 'sample', depth = 0, ...allowance }: Allowance & { name?: string; depth?: number } = {},
): Promise<RecordedFindings> {
  const subject = new Subject(bytes, name, '', depth);
  const findings = recordFindings(allowance);
  if (format.matches(subject)) await format.inspect(subject, findings);
  return findings;
}
