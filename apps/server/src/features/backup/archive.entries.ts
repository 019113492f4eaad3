import * as z from 'zod'
import { Provenance } from '../hosting/index.ts'

/** The facts a restore needs before it reads rows and files. */
export interface Manifest {
  /** Version of the platform that made the backup. */
  version: string
  /** ISO 8601. */
  made: string
  /** Migrations that its rows have gone through. */
  migrations: string[]
  /** The master key in base64, under which secrets in the rows are sealed. */
  key: string
  /** Where it was made; absent in backups of earlier versions. */
  origin?: Provenance | undefined
}

/** The fields of a manifest, which every format of the file has. */
export const manifestFields = {
  version: z.string(),
  made: z.string(),
  migrations: z.array(z.string()),
  key: z.string().length(44),
  origin: z.optional(Provenance),
}

/** `manifest.json`, the first file of the archive. */
export const ManifestFile = z.object({
  format: z.literal(2),
  ...manifestFields,
  /** The tables, with the columns in the order of the values in each row. */
  tables: z.array(z.object({ name: z.string(), columns: z.array(z.string()).min(1) })),
})
export type ManifestFile = z.infer<typeof ManifestFile>

/** `end.json`, the last file: the counts show that nothing is missing. */
export const EndFile = z.object({ rows: z.number().int(), files: z.number().int() })

/** Names inside the archive. */
export const archivePaths = {
  manifest: 'manifest.json',
  end: 'end.json',
  /** Lines with one JSON array for each row; a long table has several parts. */
  rows: (table: string, part: number) => `database/${table}/${String(part).padStart(4, '0')}.jsonl`,
  file: (instance: string, path: string) => `files/${instance}/${path}`,
}

/** The contents of a backup, counted. */
export interface Contents {
  rows: number
  files: number
  instances: number
}
