import { select, selects } from '../select.ts'

export const REQUESTS = selects({
  countRequest: select(
    { since: 'INTEGER', count: 'INTEGER' },
    `INSERT INTO ration (account_id, since, count) VALUES ($1, $2, 1)
    ON CONFLICT (account_id) DO UPDATE SET
      count = CASE WHEN ration.since <= $2 - $3 THEN 1 ELSE ration.count + 1 END,
      since = CASE WHEN ration.since <= $2 - $3 THEN $2 ELSE ration.since END
    RETURNING since, count`,
  ),
})
