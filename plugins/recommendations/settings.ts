import type { PluginApi } from '@tapline/plugin-sdk';

const key = 'RECOMMENDATIONS_NAME_TENANTS';

export function defineSettings({ settings }: PluginApi): void {
  settings.define({
    key,
    category: 'recommendations',
    type: 'choice',
    choices: ['everybody', 'who_may_see'],
    default: 'everybody',
    label: 'Who reads the names of tenants',
    help: 'everybody: recommendations are the same for all users, names of tenants included. who_may_see: whoever may not see a tenant reads the sentence without its name.',
  });
}

export const namesTenantsToAll = ({ settings }: PluginApi): boolean => settings.get(key, 'everybody') === 'everybody';
