// Write a TypeScript program that assigns each part of a dashboard to its published type: node program.mjs DASHBOARD PROGRAM
import fs from "node:fs";

const [from, to] = process.argv.slice(2);
const { panels, ...dashboard } = JSON.parse(fs.readFileSync(from, "utf8"));
const types = { row: "Row", stat: "Stat", table: "Table", timeseries: "Series" };
const raw = "@grafana/schema/dist/esm/raw/composable";
const parts = panels.map((panel) => `const panel${panel.id}: ${types[panel.type]} = ${JSON.stringify(panel, null, 2)};`);
fs.writeFileSync(
  to,
  `import type { Dashboard, DataQuery, GraphFieldConfig, Panel, RowPanel, TableFieldOptions } from "@grafana/schema";
import type { Options as StatOptions } from "${raw}/stat/panelcfg/x/StatPanelCfg_types.gen";
import type { Options as TableOptions } from "${raw}/table/panelcfg/x/TablePanelCfg_types.gen";
import type { Options as SeriesOptions } from "${raw}/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";

// JSON has the values of enumerations, not their members.
type Plain<T> = T extends string ? \`\${T}\`
  : T extends number | boolean | null | undefined ? T
  : T extends (infer Item)[] ? Plain<Item>[]
  : T extends object ? { [Key in keyof T]: Plain<T[Key]> }
  : T;
type Fields = NonNullable<Panel["fieldConfig"]>;
type Config<Custom> = Omit<Fields, "defaults"> & { defaults: Omit<Fields["defaults"], "custom"> & { custom?: Custom } };
interface Query extends DataQuery {
  expr: string;
  legendFormat: string;
  range: boolean;
  instant: boolean;
  format?: "table";
  editorMode?: "code";
}
type Of<Options, Custom> = Plain<
  Omit<Panel, "options" | "fieldConfig" | "targets"> & { options: Options; targets: Query[]; fieldConfig: Config<Custom> }
>;
type Row = Plain<RowPanel>;
type Stat = Of<StatOptions, undefined>;
type Table = Of<TableOptions, TableFieldOptions>;
type Series = Of<SeriesOptions, GraphFieldConfig>;

${parts.join("\n")}
export const dashboard: Plain<Omit<Dashboard, "panels">> = ${JSON.stringify(dashboard, null, 2)};
`,
);
