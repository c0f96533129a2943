import type { Places } from '../../plugins/find/resolve.ts';
import { knownPlugins } from '../../plugins/switch/known.ts';

/** A process of its own: what is on here runs code of plugins that are off in the service. */
process.once('message', ({ names, places }: { names: string[]; places: Places }) => {
  // whoever asked ends this process once it has the answer
  void knownPlugins(names, places).then((found) => process.send!(found));
});
