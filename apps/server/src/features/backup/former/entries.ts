import * as z from 'zod'
import { manifestFields } from '../archive.entries.ts'

/** Lines of a backup of the former format. A table is followed by a line with an array for each row, a file by its bytes. */
export const Entry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('manifest'), format: z.literal(1), ...manifestFields }),
  z.object({ kind: z.literal('table'), name: z.string(), columns: z.array(z.string()).min(1) }),
  z.object({ kind: z.literal('file'), instance: z.string(), path: z.string(), mode: z.number().int() }),
  /** The length of the next piece of the file; zero at its end. */
  z.object({ kind: z.literal('bytes'), count: z.number().int().min(0) }),
  /** The last line has the counts, so that nothing is missing. */
  z.object({ kind: z.literal('end'), rows: z.number().int(), files: z.number().int() }),
])
export type Entry = z.infer<typeof Entry>
