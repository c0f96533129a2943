const linesPerTap = 20;
const charactersPerTap = 1024;

/**
 * What taps have to say about a launch, for its `job_explanation`. Each tap has a share of its own, so that one
 * that talks without end takes nobody else's place, and no say any more once it has ended.
 */
export class Explanation {
  readonly #lines: string[] = [];
  readonly #late: (label: string) => void;

  constructor(late: (label: string) => void) {
    this.#late = late;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Core's own words about a tap. */
  add(text: string): void {
    this.#lines.push(text);
  }

  forTap(label: string): { explain: (text: string) => void; close: () => void } {
    let open = true;
    let told = false;
    let left = linesPerTap;
    let room = charactersPerTap;
    let dropped = 0;
    const explain = (text: string): void => {
      if (!open) {
        if (!told) this.#late(label);
        told = true;
        return;
      }
      const line = readText(text).slice(0, room);
      if (!line || left === 0) return void (dropped += 1);
      left -= 1;
      room -= line.length;
      this.#lines.push(line);
    };
    const close = () => {
      open = false;
      if (dropped) this.#lines.push(`${label}: ${dropped} more lines left out.`);
    };
    return { explain, close };
  }
}

function readText(text: unknown): string {
  try {
    return String(text).trim();
  } catch {
    return '';
  }
}
