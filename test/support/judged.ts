import { isUnavailable } from '@tapline/plugin-sdk';

const mostTries = 20;

/** What came of it once it was evaluated: a busy machine may give the sandbox no time for it, which says nothing of what is asked. */
export async function judged<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1)
    try {
      // each is asked because the one before it got no answer
      // oxlint-disable-next-line no-await-in-loop
      return await ask();
    } catch (error) {
      if (!isUnavailable(error) || tries >= mostTries) throw error;
    }
}
