import type { PlayName } from './plays.ts';

/** What was said of one run. */
export interface Told {
  play: PlayName;
  /** when its launch was answered */
  launched: number;
  cancelAsked: boolean;
  /** 202 */
  canceled: boolean;
  deleteAsked: boolean;
  /** when its deletion was answered */
  deleted: number | undefined;
  /** how it ended, as a list or a message said, and when that was said */
  ended: { status: string; at: number } | undefined;
}

/** One launch as a client meant it, however often it had to send it. */
export interface Launch {
  mark: string;
  keyed: boolean;
  /** the run that it was answered with */
  run: number | undefined;
}

const terminal = new Set(['successful', 'failed', 'error', 'canceled']);

/** What clients asked for and what they were told; the database is held against it at the end. */
export class Ledger {
  readonly launches: Launch[] = [];
  readonly runs = new Map<number, Told>();
  /** of kinds that nobody cancels, deletes or lists here */
  readonly others: number[] = [];
  /** logs of events that were answered */
  readonly events = new Set<number>();
  /** what a client saw that cannot be */
  readonly complaints: string[] = [];
  readonly answers: Record<string, number> = {};

  complain(text: string): void {
    this.complaints.push(text);
  }

  count(what: string): void {
    this.answers[what] = (this.answers[what] ?? 0) + 1;
  }

  began(keyed: boolean): Launch {
    const launch: Launch = { mark: `mark-${this.launches.length + 1}`, keyed, run: undefined };
    this.launches.push(launch);
    return launch;
  }

  launched(launch: Launch, run: number, play: PlayName): void {
    if (launch.run !== undefined && launch.run !== run)
      this.complain(`launch ${launch.mark} was answered with run ${launch.run} and with run ${run}`);
    if (launch.run === undefined) this.exists(run, play);
    launch.run = run;
  }

  exists(run: number, play: PlayName): void {
    if (this.runs.has(run)) this.complain(`run ${run} was given to two launches`);
    this.runs.set(run, {
      play,
      launched: performance.now(),
      cancelAsked: false,
      canceled: false,
      deleteAsked: false,
      deleted: undefined,
      ended: undefined,
    });
  }

  /** A run that has ended stays as it ended: whoever asks after that (`asked`) hears of nothing else. */
  saw(run: number, status: string, asked: number): void {
    const told = this.runs.get(run);
    if (!told) return;
    const { ended } = told;
    const late = ended !== undefined && (terminal.has(status) || ended.at < asked);
    if (late && ended.status !== status) this.complain(`run ${run} had ended ${ended.status} and then was ${status}`);
    if (terminal.has(status)) told.ended ??= { status, at: performance.now() };
  }

  /** Runs that a client may choose, the newest last. */
  known(which: (told: Told) => boolean): number[] {
    return [...this.runs].filter(([, told]) => which(told)).map(([run]) => run);
  }
}
