import { idleExtensions } from '../../descriptors/extend/targets.ts';
import { pluginExtensions, pluginPanels } from '../../plugins/content.ts';
import type { Registries } from '../../plugins/registries.ts';
import type { Declared } from '../catalog.ts';
import { type Finding, warn } from './finding.ts';

/** What plugins add to types that nobody declares. */
export const idle = ({ resources }: Declared, registries: Registries): Finding[] =>
  idleExtensions({ resources, extensions: [...pluginExtensions(registries), ...pluginPanels(registries)] }).map(
    ({ plugin, type }) =>
      warn(
        `what ${plugin} adds to ${type} waits: nobody declares that type`,
        'It has no effect until the plugin that declares it is on; correct the name where it is misspelt.',
      ),
  );
