import type { Log } from '../observe/log.ts';
import { blamedFor, currentSection, type Section } from '../observe/section.ts';

interface Deps {
  log: Log;
  /** told of each that a plugin left */
  count: (section: Section) => void;
  /** asked after an error of core's own that nobody caught: its state cannot be relied on any more */
  end: () => void;
}

/**
 * What nobody caught. Handlers run in the context of the code that failed, so a plugin's timer or forgotten promise
 * is known by its name: it is told, and the service goes on for everybody else.
 */
export function catchFaults({ log, count, end }: Deps): () => void {
  const told = (err: unknown, what: string): boolean => {
    const section = currentSection() ?? blamedFor(err);
    if (!section) return false;
    count(section);
    log.error({ err, plugin: section.plugin, section: section.what }, `plugin ${section.plugin} left ${what}`);
    return true;
  };
  const onRejection = (err: unknown) => {
    // a promise nobody waited for is a fault of ours, but no reason to drop everybody else's requests
    if (!told(err, 'a rejected promise that nobody handles')) log.error({ err }, 'unhandled rejection');
  };
  const onException = (err: unknown) => {
    if (told(err, 'an error that nobody catches')) return;
    log.fatal({ err }, 'uncaught exception');
    end();
  };
  process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  return () => void process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
}
