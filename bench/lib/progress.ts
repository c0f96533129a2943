/** To stderr, so that the figures on stdout stay alone. */
export const progress = (text: string): void => void process.stderr.write(`  … ${text}\n`);

/** A measure that waits for something that never comes says so instead of waiting on. */
export async function within<T>(seconds: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not happen within ${seconds} s`)), seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
