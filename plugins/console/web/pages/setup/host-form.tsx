import { useSignal } from '@preact/signals';
import { ApiFailure, Form, post, RecordField, TextField, useFields, t } from '@tapline/console-kit';
import type { StepFormProps } from './steps.tsx';
import { defaultOrganization } from './default-organization.ts';

/** A host in an inventory, which is made where there is none to put it into. */
export function HostForm({ onDone }: StepFormProps) {
  const made = useSignal(0);
  const { values, errors, bind } = useFields({ inventory: '', inventory_name: '', name: '', address: '' });
  const fresh = values.value.inventory === '';

  const submit = async () => {
    const { inventory_name, name, address } = values.value;
    const inventory = fresh ? await newInventory(inventory_name) : Number(values.value.inventory);
    // a second try must not make a second inventory
    values.value = { ...values.value, inventory: String(inventory) };
    if (fresh) made.value = inventory;
    const variables = address ? JSON.stringify({ ansible_host: address }) : '';
    const host = await post<{ name: string }>('hosts/', { name, inventory, variables });
    await onDone(t`${host.name} is listed.`);
  };

  return (
    <Form
      submit={t`Add host`}
      errors={errors}
      known={['inventory', 'inventory_name', 'name', 'address']}
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
