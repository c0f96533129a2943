import type { Answered, Field } from '@tapline/plugin-sdk';
import { pageOf } from '../../descriptors/describe/json-schema.ts';
import { objectSchema } from '../../descriptors/describe/openapi-schemas.ts';

/** A page of objects of these fields, for the description of the API. */
export const shownPage = (fields: Record<string, Field>): Answered => ({
  schema: pageOf({ ...objectSchema(fields), required: Object.keys(fields) }),
});
