import { Pager, place, t } from '@tapline/console-kit';

/** So many rows of a part are shown at once. */
export const pageRows = 50;

/** The page of a part that the address names. */
export const pageOfPart = (): number => Math.max(1, Number(place.value.query.get('page')) || 1);

/** To the pages of a list that goes on in its order. */
export const PartPager = ({ count }: { count: number }) => (
  <Pager
    path={place.value.path}
    query={place.value.query}
    page={pageOfPart()}
    pages={Math.ceil(count / pageRows)}
    back={t`Before`}
    on={t`Next`}
  />
);
