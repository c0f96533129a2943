import type { Api } from '../support/api.ts';

/** Makes an organization and an inventory through the API. */
export async function seedInventory(api: Api, name: string, extra: object = {}): Promise<any> {
  const [organization] = await api
    .db('organizations')
    .insert({ name: `Org of ${name}` })
    .returning('id');
  const { body } = await api.admin('POST', '/api/v2/inventories/', { name, organization: organization.id, ...extra });
  return body;
}

export const add = async (api: Api, path: string, body: object): Promise<any> => {
  const answer = await api.admin('POST', path, body);
  if (answer.status !== 201) throw new Error(`${path} ${answer.status} ${answer.text}`);
  return answer.body;
};

export const names = (answer: { body: any }): string[] => answer.body.results.map(({ name }: any) => name);
