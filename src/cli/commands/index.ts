import type { Command } from '../command.ts';
import { serve } from './serve.ts';

/** Every command, in the order in which `rapsheet help` shows them. */
export const commands: readonly Command[] = [serve];
