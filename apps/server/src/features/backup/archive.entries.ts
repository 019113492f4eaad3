import * as z from 'zod'
import { Provenance } from '../hosting/index.ts'

/** The first entry of a backup. */
export const Manifest = z.object({
  kind: z.literal('manifest'),
  format: z.literal(1),
  /** Version of the platform that made it. */
  version: z.string(),
  /** ISO 8601. */
  made: z.string(),
  /** The steps of the schema that its rows have gone through. */
  migrations: z.array(z.string()),
  /** The master key in base64, under which secrets in the rows are sealed. */
  key: z.string().length(44),
  /** Where it was made; absent in those of earlier versions. */
  origin: z.optional(Provenance),
})
export type Manifest = z.infer<typeof Manifest>

/** Lines of a back-up. A table is followed by lines with an array for each row, a file by its bytes. */
export const Entry = z.discriminatedUnion('kind', [
  Manifest,
  z.object({ kind: z.literal('table'), name: z.string(), columns: z.array(z.string()).min(1) }),
  z.object({ kind: z.literal('file'), instance: z.string(), path: z.string(), mode: z.number().int() }),
  /** So many bytes of the file follow; none: it ends. */
  z.object({ kind: z.literal('bytes'), count: z.number().int().min(0) }),
  /** The last line says what there was, so that nothing is missing. */
  z.object({ kind: z.literal('end'), rows: z.number().int(), files: z.number().int() }),
])
export type Entry = z.infer<typeof Entry>

/** The contents of a backup, counted. `bytes` is the size of the file. */
export interface Contents {
  rows: number
  files: number
  instances: number
}
