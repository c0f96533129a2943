import { SpecError } from '@tapline/plugin-sdk';
import { statfsSync } from 'node:fs';
import { gitLines } from '../../scm/git-lines.ts';

export interface CheckoutLimits {
  /** 0 = no limit, both */
  bytes: number;
  files: number;
}

/** What one checkout may still take, its submodules included; told before anything is written. */
export class CheckoutBudget {
  readonly #limits: CheckoutLimits;
  #bytes = 0;
  #files = 0;

  constructor(limits: CheckoutLimits) {
    this.#limits = limits;
  }

  /** @throws SpecError where it is more than allowed */
  spend(bytes: number, files = 1): void {
    this.#bytes += bytes;
    this.#files += files;
    const { bytes: mostBytes, files: mostFiles } = this.#limits;
    if (mostFiles && this.#files > mostFiles)
      throw new SpecError(`The project has more files than the ${mostFiles} of CHECKOUT_MAX_FILES.`);
    if (mostBytes && this.#bytes > mostBytes)
      throw new SpecError(`The project's files have more than the ${mostBytes} bytes of CHECKOUT_MAX_BYTES.`);
  }

  /** All that a commit would write. */
  async spendCommit(repository: string, revision: string): Promise<void> {
    if (!this.#limits.bytes && !this.#limits.files) return;
    const known = sizes.get(revision);
    if (known) return this.spend(known.bytes, known.files);
    const before = { bytes: this.#bytes, files: this.#files };
    // nested trees may name the same file a billion times: the listing ends where the budget does
    await gitLines(['ls-tree', '-r', '-l', '-z', '--full-tree', revision], { cwd: repository }, (entry) => {
      const size = blob.exec(entry)?.[1];
      if (size) this.spend(Number(size));
    });
    remember(revision, { bytes: this.#bytes - before.bytes, files: this.#files - before.files });
  }

  /** @throws SpecError where the disk has no room for what was spent, and some to spare */
  assertRoom(folder: string): void {
    const { bavail, bsize } = statfsSync(folder);
    if (this.#bytes + spare > bavail * bsize)
      throw new SpecError(`The disk has no room for the ${this.#bytes} bytes of the project's files.`);
  }
}

const spare = 64 << 20;

/** `<mode> <type> <hash> <size>\t<path>`; a submodule has no size */
const blob = /^\d+ blob [0-9a-f]+ +(\d+)\t/;

/** A commit's size never changes: looked up once, not at each start. */
const sizes = new Map<string, { bytes: number; files: number }>();
const remembered = 1000;

function remember(revision: string, size: { bytes: number; files: number }): void {
  if (sizes.size >= remembered) sizes.delete(sizes.keys().next().value!);
  sizes.set(revision, size);
}
