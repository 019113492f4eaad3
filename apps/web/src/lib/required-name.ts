import { limits } from '@app/contract/constants'
import * as z from 'zod/mini'

/** A name that a form demands. `missing` is said while it is empty. */
export const requiredName = (missing = 'Give it a name') =>
  z
    .string()
    .check(z.trim(), z.minLength(1, missing), z.maxLength(limits.nameMax, `At most ${limits.nameMax} characters`))
