import type { RunKind } from '@tapline/plugin-sdk';
import { secretTexts } from '../../credentials/of-run.ts';
import type { Visible } from '../../runs/access.ts';
import { type EnvironmentDeps, inEnvironment } from '../execution/environment-of-run.ts';
import { commandDescriptor, type CommandServices } from './ad-hoc-command.ts';
import { commandEventResource } from './command-event.ts';
import { commandExtends } from './extends.ts';
import { planCommand } from './plan.ts';
import { prepareCommand, type PrepareDeps } from './prepare-command.ts';
import { commandAccess } from './rules.ts';

export interface CommandKindServices extends CommandServices, PrepareDeps, EnvironmentDeps {
  visible: Visible;
}

/** One module on hosts of an inventory, without a template. */
export const adHocCommandKind = (services: CommandKindServices): RunKind => ({
  kind: 'ad_hoc_command',
  template: null,
  needs: 'engine',
  noted: true,
  notifies: { name: 'AdHoc Command', page: 'command' },
  events: { own: true, path: 'ad_hoc_command_events' },
  access: commandAccess,
  resource: commandDescriptor(services),
  resources: [commandEventResource(services)],
  extends: commandExtends,
  plan: (request) => planCommand(services, request),
  prepare: (run) => inEnvironment(services, run, () => prepareCommand(services, run)),
  secretsOf: (run) => secretTexts(services, run.credential_ids),
});
