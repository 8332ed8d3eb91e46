import { err } from '../../shared/base/result.ts'
import { before, days } from '../../shared/base/time.ts'
import { DEFAULT_PLAN } from './default-plan.ts'
import { finished, type Operations } from './operation.ts'
import { assignments, PLAN_KEYS } from './policy.ts'

const RECENT = days(30)

export const PLAN_OPERATIONS: Operations = {
  'plan add': {
    parameters: 'NAME [KEY=VALUE…]',
    summary: `add a plan; keys: ${Object.keys(PLAN_KEYS).join(', ')}`,
    run: async ({ w }, [name = '', ...rest]) => {
      const values = assignments(PLAN_KEYS, rest)
      if (!values.ok) return values
      if (name === '') return err('the name of the plan is missing')
      if (!/^[\w.@ -]{1,64}$/.test(name) || /^\.+$/.test(name))
        return err('the name of a plan consists of 1 to 64 letters, digits, spaces, _ . @ and -')
      if ((await w.planNamed(name)) !== undefined)
        return err(`plan ${name} already exists; change it with holdfast admin plan set`)
      await w.changePlan(await w.addPlan({ name, ...DEFAULT_PLAN }), values.value)
      return finished(`plan ${name} created`, { plan: name })
    },
  },
  'plan set': {
    parameters: 'NAME KEY=VALUE…',
    summary: 'change a plan; keys as for plan add',
    run: async ({ w, now }, [name = '', ...rest]) => {
      const [values, id] = [assignments(PLAN_KEYS, rest), await w.planNamed(name)]
      if (!values.ok) return values
      if (id === undefined) return err(`there is no plan ${name}`)
      await w.changePlan(id, values.value)
      const refused =
        values.value['needsFactor'] === true ? await w.countPasswordUpdaters(id, before(now, RECENT)) : 0
      return finished(
        refused === 0
          ? `plan ${name} changed`
          : `plan ${name} changed; ${refused} of its accounts updated with their password in the last 30 days, ` +
              'and get badauth from now on: they need a DDNS key',
        { plan: name, ...(refused > 0 && { passwordUpdaters: refused }) },
      )
    },
  },
}
