import { err } from '../../shared/base/result.ts'
import { after, milliseconds, parseDuration } from '../../shared/base/time.ts'
import { keyedHash, newPassword } from '../auth/hashes.ts'
import { parseScope, SCOPE_FORMS } from '../rules/permission.ts'
import { accountIdOf, finished, type Operations } from './operation.ts'

export const API_KEY_OPERATIONS: Operations = {
  'api-key add': {
    parameters: 'ACCOUNT [read] [zone:NAME…] [name:FQDN…] [type:TYPE…] [expires=TIME]',
    summary: 'add an API key and print it, once; limit it to reading, zones, names, types, or in time',
    run: async ({ w, pepper, now }, [name = '', ...rest]) => {
      const account = await accountIdOf(w, name)
      if (!account.ok) return account
      const span = rest.find((arg) => arg.startsWith('expires='))?.slice(8)
      const expires = span === undefined ? undefined : parseDuration(span)
      if (expires?.ok === false) return err(`expires=${span} ${expires.error}`)
      if (expires?.value === milliseconds(0)) return err(`expires=${span} is over at once`)
      const given = rest.filter((arg) => !arg.startsWith('expires='))
      const invalid = given.find((scope) => parseScope(scope) === undefined)
      if (invalid !== undefined) return err(`${invalid} is not one of ${SCOPE_FORMS}`)
      const scopes = given.flatMap((scope) => parseScope(scope) ?? [])
      const key = newPassword()
      const id = await w.addApiKey(
        {
          accountId: account.value,
          hash: keyedHash(pepper, key),
          description: scopes.join(' '),
          scopes,
          ...(expires?.ok === true && { expiresAt: after(now, expires.value) }),
        },
        now,
      )
      return finished(`API key ${key}`, { account: name, key, id })
    },
  },
  'api-key remove': {
    parameters: 'ID',
    summary: 'remove an API key by its number in api-key list; it is refused from the next request on',
    run: async ({ w }, [id = '']) => {
      const isRemoved = /^\d{1,15}$/.test(id) && (await w.removeApiKey(Number(id)))
      return isRemoved
        ? finished(`API key ${id} removed`, { id: Number(id) })
        : err(`there is no API key with the number ${id || 'missing'}; see holdfast admin api-key list`)
    },
  },
}
