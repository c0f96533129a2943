import { anyOf, auditor, type PluginApi } from '@tapline/plugin-sdk';

const organization = ({ rules }: Pick<PluginApi, 'rules'>, role: string) =>
  rules.parent('organization_id', 'organization', role);

/** Organizations' administrators manage webhooks; auditors look on. */
export const accessOf = (api: Pick<PluginApi, 'rules'>) => {
  const manage = organization(api, 'admin_role');
  return { manage, see: anyOf(manage, organization(api, 'auditor_role'), auditor) };
};
