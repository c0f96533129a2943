import type { PluginApi } from '@tapline/plugin-sdk';

/** What recommendations look at. */
export function provideInsights(api: PluginApi): void {
  const count = async (where: object) => {
    const { n } = (await api.db(api.table('policies')).where(where).count({ n: '*' }).first()) as { n: number };
    return Number(n);
  };
  api.insights.provide('policies.total', () => count({}));
  api.insights.provide('policies.enforced', () => count({ enforcement: 'enforce' }));
}
