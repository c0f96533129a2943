export interface Refusal<T> {
  row: T;
  message: string;
}

/** How far it is. */
export interface Work<T> {
  /** not begun yet, or to be tried again */
  left: T[];
  /** of those: what was asked for, and no answer came */
  unsure: Set<T>;
  done: number;
  refused: Refusal<T>[];
  /** why it does not go on by itself */
  held: string;
}

/** So many at once: quick, and others are served as well. */
const atOnce = 4;

/** What is known of a failure: its words, whether the record has nothing to do with it, and whether it may have been done. */
export type Judge = (error: unknown) => { message: string; passing: boolean; unsure?: boolean };

interface Doing<T> {
  act: (row: T) => Promise<unknown>;
  judge: Judge;
  signal: AbortSignal;
  onStep: () => void;
}

export const begin = <T>(rows: readonly T[]): Work<T> => ({
  left: [...rows],
  unsure: new Set(),
  done: 0,
  refused: [],
  held: '',
});

/** Goes on with what is left until all is done, it is told to stop, or the service cannot take it for now: then it can be called again. */
export async function workOff<T>(work: Work<T>, { act, judge, signal, onStep }: Doing<T>): Promise<void> {
  work.held = '';
  const one = async (row: T) => {
    try {
      await act(row);
      work.done += 1;
    } catch (error) {
      const { message, passing, unsure } = judge(error);
      if (passing) {
        work.left.unshift(row);
        work.held = message;
        if (unsure) work.unsure.add(row);
        return;
      }
      work.refused.push({ row, message });
    }
    work.unsure.delete(row);
  };
  const worker = async () => {
    while (work.left.length && !signal.aborted && !work.held) {
      await one(work.left.shift()!);
      onStep();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
