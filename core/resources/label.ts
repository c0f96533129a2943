import { ApiError, type Resource, type Sublist, defineResource, field } from '@tapline/plugin-sdk';
import { storable } from '../descriptors/read/scalar.ts';
import { labelVisible } from '../rbac/label-rules.ts';
import { assertLinks } from '../rbac/rights.ts';
import { parent } from '../rbac/role-rules.ts';
import { seenTemplate, type Visible } from '../runs/access.ts';
import type { RunKinds } from '../runs/kinds.ts';

const mostOnOne = 100;

const ofOrganization = (field: string) => parent('organization_id', 'organization', field);

export const labelResource = ({ kinds, visible }: { kinds: RunKinds; visible: Visible }): Resource =>
  defineResource({
    type: 'label',
    path: 'labels',
    table: 'labels',
    label: 'Label',
    description:
      'A word of an organization to sort templates, inventories and jobs by. It ends when nothing carries it any more.',
    methods: { detail: ['GET', 'PUT', 'PATCH'] },
    fields: {
      name: field.string({ required: true }),
      organization: field.ref('organization', { required: true, nullable: false }),
    },
    access: {
      see: labelVisible(seenTemplate(visible, kinds)),
      create: ofOrganization('member_role'),
      change: ofOrganization('admin_role'),
    },
    stream: true,
    orderBy: ['organization__name', 'name'],
    search: ['name'],
    summary: ['id', 'name'],
    naming: ['name', 'organization'],
    unique: {
      labels_name_organization: { field: '__all__', message: 'Label with this Name and Organization already exists.' },
    },
    async validate(context) {
      if (context.before) await assertLinks(context, [['organization_id', 'organization', 'admin_role']]);
    },
  });

/** A label of that name is taken as it is, and made where there is none. */
export function labelsOf(kind: string, key = `${kind}_id`): Sublist {
  const through = { table: `${kind}_labels`, parent: key, child: 'label_id' };
  return {
    resource: 'label',
    attach: true,
    create: true,
    through,
    async adopt(db, _parent, call) {
      const { body } = call;
      if (typeof body.name !== 'string' || !Number.isSafeInteger(Number(body.organization))) return undefined;
      // no label has such a name; making it says what is wrong
      if (!storable(body.name)) return undefined;
      const found = { name: body.name.trim(), organization_id: Number(body.organization) };
      const id: number | undefined = (await db('labels').where(found).first('id'))?.id;
      // one that is hidden answers as none would
      return id !== undefined && (await call.visible('label', [id])).has(id) ? id : undefined;
    },
    async check(trx, parent, label) {
      const others = trx(through.table)
        .where({ [through.parent]: parent.id })
        .whereNot({ label_id: label.id });
      const [{ count }] = await others.count();
      if (Number(count) >= mostOnOne)
        throw new ApiError(400, { msg: `Maximum number of labels for ${parent.name} reached.` });
    },
  };
}

export const labelsOfJob: Sublist = {
  resource: 'label',
  through: { table: 'run_labels', parent: 'run_id', child: 'label_id' },
};
