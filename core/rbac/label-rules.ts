import type { Rule } from '@tapline/plugin-sdk';
import { parent } from './role-rules.ts';
import { type CoreRule, anyOf, connection, via } from './rules.ts';

/** Members of its organization see a label, and who sees a template that carries it. */
export const labelVisible = (template: Rule): Rule =>
  anyOf(parent('organization_id', 'organization', 'read_role'), onTemplate(template));

function onTemplate(visible: Rule): CoreRule {
  const template = via('template_id', 'templates', visible);
  return {
    name: 'on a visible template',
    row: async (actor, row, db) => {
      const links = connection(db, 'label_id')('template_labels as l').where('l.label_id', Number(row['id']));
      template.query(actor, links, 'l');
      return (await links.first('l.label_id')) !== undefined;
    },
    query: (actor, builder, alias) =>
      void builder.whereIn(`${alias}.id`, (inner) => {
        inner.select(`${alias}_l.label_id`).from(`template_labels as ${alias}_l`);
        template.query(actor, inner, `${alias}_l`);
      }),
  };
}
