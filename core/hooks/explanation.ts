import type { ExplainOptions } from '@tapline/plugin-sdk';
import { cutText } from '../db/safe-text.ts';

/** What `job_explanation` of a launch may have at most. */
export const EXPLANATION_LIMIT = 16_384;
const linesPerTap = 20;
const charactersPerTap = 1024;

/**
 * What taps have to say about a launch, for its `job_explanation`. Each tap has a share of its own, so that one
 * that talks without end takes nobody else's place, and no say any more once it has ended.
 */
export class Explanation {
  readonly #lines: string[] = [];
  readonly #late: (label: string) => void;
  #cut: number | undefined;

  constructor(late: (label: string) => void) {
    this.#late = late;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** To how many characters the whole is to be cut: the fewest that a tap asked for. */
  get cut(): number | undefined {
    return this.#cut;
  }

  /** Core's own words about a tap. */
  add(text: string): void {
    this.#lines.push(text);
  }

  /** `explain` throws RangeError for a cut that is none. */
  forTap(label: string): {
    explain: (text: string, options?: ExplainOptions) => void;
    close: () => void;
    said: () => string[];
  } {
    const first = this.#lines.length;
    let open = true;
    let told = false;
    let left = linesPerTap;
    let room = charactersPerTap;
    let dropped = 0;
    const explain = (text: string, { cut }: ExplainOptions = {}): void => {
      if (!open) {
        if (!told) this.#late(label);
        told = true;
        return;
      }
      if (cut !== undefined) this.#cut = Math.min(this.#cut ?? EXPLANATION_LIMIT, checkedCut(cut));
      const line = cutText(readText(text), room);
      if (!line || left === 0) return void (dropped += 1);
      left -= 1;
      room -= line.length;
      this.#lines.push(line);
    };
    const close = () => {
      open = false;
      if (dropped) this.#lines.push(`${label}: ${dropped} more lines left out.`);
    };
    return { explain, close, said: () => this.#lines.slice(first) };
  }
}

/** The explanation that a run is left with: what it had before, then what was said of it, cut where a tap wants that. */
export function explained(before: string, { lines, cut }: { lines: readonly string[]; cut?: number }): string {
  const text = [before, ...lines].filter(Boolean).join('\n');
  // by characters, so that none is cut in half
  return cut === undefined || text.length <= cut ? text : [...text].slice(0, cut).join('');
}

function checkedCut(cut: number): number {
  if (Number.isInteger(cut) && cut >= 1 && cut <= EXPLANATION_LIMIT) return cut;
  throw new RangeError(`explain: cut must be a whole number from 1 to ${EXPLANATION_LIMIT}`);
}

function readText(text: unknown): string {
  try {
    return String(text).trim();
  } catch {
    return '';
  }
}
