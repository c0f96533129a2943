import { field } from '@tapline/plugin-sdk';

const kept = (name: string) => `({alias}.data ->> '${name}')`;

/** What stands in `data`, having no column of its own. */
const inData = {
  required_approvals: field.integer({
    min: 0,
    max: 1000,
    default: 1,
    sql: `${kept('required_approvals')}::integer`,
    help: 'How many people have to approve.',
  }),
  on_timeout: field.choice(['deny', 'approve'], { default: 'deny', sql: kept('on_timeout') }),
  context_template: field.text({
    default: '',
    sql: kept('context_template'),
    help: 'A template over the artifacts of the nodes before it, for those who decide.',
  }),
};

/** What can be said of an approval, when a node is made one and later (contract B4). */
export const approvalFields = {
  name: field.string({ required: true }),
  description: field.text(),
  timeout: field.integer({ min: 0, max: 2_147_483_647, default: 0, help: 'Seconds; 0: it waits for ever.' }),
  ...inData,
};

/** `data` of a template with what is given of it, over what it held or else the defaults. */
export const dataOf = (given: Readonly<Record<string, unknown>>, before: object = {}): Record<string, unknown> => ({
  ...Object.fromEntries(Object.entries(inData).map(([name, { default: value }]) => [name, value])),
  ...before,
  ...Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(inData, name))),
});
