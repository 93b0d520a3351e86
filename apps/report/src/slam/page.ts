import type { SlamReport } from "../data";
import { calibration } from "./calibration";
import { errorOverTime, refusals, stageTimes, successByBin } from "./charts";
import { headline } from "./headline";
import { loopView } from "./loop_view";
import { mapView } from "./map_view";
import { Selection } from "./selection";
import { topView } from "./top_view";

export function slamPage(report: SlamReport): HTMLElement[] {
  const selection = new Selection();
  return [
    headline(report),
    topView(report, selection),
    loopView(report, selection),
    mapView(report),
    errorOverTime(report),
    successByBin(report),
    refusals(report),
    calibration(report),
    stageTimes(report),
  ];
}
