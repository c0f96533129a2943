import { ApiFailure } from '../api/http.ts';
import { toast } from './toasts.tsx';

interface Words {
  /** when it is done */
  said?: string;
  /** before what the service says where it refuses */
  whose?: string;
  /** takes it back, where that is safe: offered with what is said */
  undo?: () => Promise<unknown>;
}

/** Does it and says in a corner what came of it. Resolves to whether it was done. */
export async function attempt(work: () => Promise<unknown>, { said, whose, undo }: Words = {}): Promise<boolean> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    toast(whose ? `${whose}: ${error.message}` : error.message, 'bad');
    return false;
  }
  if (said) toast(said, 'good', undo);
  return true;
}
