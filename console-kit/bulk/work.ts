export interface Refusal<T> {
  row: T;
  message: string;
}

/** How far it is. */
export interface Work<T> {
  /** not begun yet */
  left: T[];
  done: number;
  refused: Refusal<T>[];
  /** why it does not go on by itself */
  held: string;
}

/** So many at once: quick, and others are served as well. */
const atOnce = 4;

/** What is known of a failure: its words, and whether the record has nothing to do with it. @throws what is no failure */
export type Judge = (error: unknown) => { message: string; passing: boolean };

interface Doing<T> {
  act: (row: T) => Promise<unknown>;
  judge: Judge;
  signal: AbortSignal;
  onStep: () => void;
}

export const begin = <T>(rows: readonly T[]): Work<T> => ({ left: [...rows], done: 0, refused: [], held: '' });

/** Goes on with what is left until all is done, it is told to stop, or the service cannot take it for now: then it can be called again. */
export async function workOff<T>(work: Work<T>, { act, judge, signal, onStep }: Doing<T>): Promise<void> {
  work.held = '';
  const worker = async () => {
    while (work.left.length && !signal.aborted && !work.held) {
      const row = work.left.shift()!;
      try {
        await act(row);
        work.done += 1;
      } catch (error) {
        const { message, passing } = judge(error);
        if (passing) {
          work.left.unshift(row);
          work.held = message;
        } else work.refused.push({ row, message });
      }
      onStep();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
