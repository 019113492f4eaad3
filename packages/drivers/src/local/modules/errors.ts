import { DriverError } from '../../driver.ts'
import { commonError, type Explain } from '../npm/npm.errors.ts'

/**
 * Explains a failure with the modules of an instance, in a sentence for the person who chose them. `listed` are the
 * names that this person knows.
 */
export const explainModules =
  (listed: readonly string[]): Explain =>
  (fault, cause) => {
    const error = (code: string, message: string) => new DriverError(code, message, { cause })
    const neededBy = (module: string) => {
      const name = module.replace(/(?<=.)@.*$/, '')
      return name === '' || listed.includes(name) ? '' : `, which is needed by ${listed.join(' or ')}`
    }
    switch (fault.kind) {
      case 'missing':
        return error(
          'module_missing',
          `The npm registry has no module named ${fault.module || 'like one of the list'}${neededBy(fault.module)}`,
        )
      case 'version':
        return error(
          'module_version',
          `The npm registry has no version that fits ${fault.module}${neededBy(fault.module)}`,
        )
      case 'conflict':
        return error(
          'module_conflict',
          `These modules do not go together${fault.why ? `: ${fault.why}` : ''}; choose other versions`,
        )
      default:
        return commonError(fault, 'the modules', cause)
    }
  }
