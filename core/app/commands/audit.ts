import { verifyChain } from '../../audit/verify.ts';
import { CommandError } from './command-error.ts';
import { withDatabase } from './with-database.ts';

/** `tapline audit verify`: computes the chain of the audit log anew; exit code 1 where an event does not fit. */
export async function verifyAudit({ head: expected }: { head?: string }): Promise<void> {
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected))
    throw new CommandError('--head takes a hash of 64 hexadecimal digits, as this command prints one.');
  const { checked, waiting, head, problem, found } = await withDatabase(({ db }) => verifyChain(db, expected));
  if (problem) {
    const place = problem.event === null ? 'The audit log does not fit' : `Event ${problem.event} does not fit`;
    throw new CommandError(`${place}: ${problem.why}. ${checked} events of the chain fit.`);
  }
  if (!found)
    throw new CommandError(
      `No event that is there has the hash ${expected}: those since then were removed or replaced, or retention has passed it.`,
    );
  console.log(`${checked} events fit, ${waiting} more are to be sealed yet.`);
  console.log(`Head: ${head.hash.toString('hex')} (seal ${head.seq}). Noted elsewhere, --head asks for it later.`);
}
