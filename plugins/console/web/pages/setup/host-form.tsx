import { useSignal } from '@preact/signals';
import { ApiFailure, Form, get, type Page, post, RecordField, TextField, useFields, t } from '@tapline/console-kit';
import type { StepFormProps } from './steps.tsx';
import { defaultOrganization } from './default-organization.ts';

/** A host in an inventory, and in a group if it is to be in one; both are made where they are not there to put it into. */
export function HostForm({ onDone }: StepFormProps) {
  const made = useSignal(0);
  const { values, errors, bind } = useFields({ inventory: '', inventory_name: '', name: '', address: '', group: '' });
  const fresh = values.value.inventory === '';

  const submit = async () => {
    const { inventory_name, name, address, group } = values.value;
    const inventory = fresh ? await newInventory(inventory_name) : Number(values.value.inventory);
    // a second try must not make a second inventory
    values.value = { ...values.value, inventory: String(inventory) };
    if (fresh) made.value = inventory;
    const variables = address ? JSON.stringify({ ansible_host: address }) : '';
    const into = group.trim() ? `groups/${await groupOf(inventory, group.trim())}/hosts/` : 'hosts/';
    const host = await post<{ name: string }>(into, { name, inventory, variables });
    await onDone(t`${host.name} is listed.`);
  };

  return (
    <Form
      submit={t`Add host`}
      errors={errors}
      known={['inventory', 'inventory_name', 'name', 'address', 'group']}
      onSubmit={submit}
    >
      <RecordField
        {...bind('inventory')}
        // with the one that was just made
        key={made.value}
        label={t`Inventory`}
        required
        empty={t`A new one`}
        list="inventories/"
      />
      {fresh && <TextField {...bind('inventory_name')} label={t`Name of the new inventory`} required />}
      <TextField
        {...bind('name')}
        label={t`Host`}
        required
        hint={t`Its name in playbooks, such as web1.example.com.`}
      />
      <TextField {...bind('address')} label={t`Address`} hint={t`Where it is reached, if that is not its name.`} />
      <TextField
        {...bind('group')}
        label={t`Group`}
        hint={t`What playbooks call such hosts: web, where they say “hosts: web”.`}
      />
    </Form>
  );
}

async function newInventory(name: string): Promise<number> {
  const body = { name, organization: await defaultOrganization() };
  const made = await post<{ id: number }>('inventories/', body).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.fields['name'])
      throw new ApiFailure(400, { inventory_name: error.fields['name'] });
    if (error instanceof ApiFailure && error.fields['__all__'])
      throw new ApiFailure(400, { inventory_name: error.fields['__all__'] });
    throw error;
  });
  return made.id;
}

/** Its id; what a first try made is found by a second one. */
async function groupOf(inventory: number, name: string): Promise<number> {
  const query = new URLSearchParams({ name, page_size: '1' });
  const { results } = await get<Page<{ id: number }>>(`inventories/${inventory}/groups/?${query}`);
  if (results[0]) return results[0].id;
  const made = await post<{ id: number }>('groups/', { name, inventory }).catch((error: unknown) => {
    if (error instanceof ApiFailure && error.fields['name']) throw new ApiFailure(400, { group: error.fields['name'] });
    throw error;
  });
  return made.id;
}
