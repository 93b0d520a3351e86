// How does the cost grow? parte_scaling PICTURE.png [SOURCE.bin TARGET.bin]
// Extraction against the number of voxels (the same two scans at finer and finer voxels), and alignment against the
// number of correspondences given to it (95 % of them wrong). One thread, CPU time, least of three.
#include <apps/raster.hpp>
#include <datasets/random.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <parte/registration.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>

namespace {

using namespace parte;
using datasets::Points;

struct Sample {
  double amount, milliseconds;
};

double least_cpu_ms(const std::function<void()>& work) {
  double least = 1e300;
  for (int round = 0; round < 3; ++round) {
    const std::clock_t start = std::clock();
    work();
    least = std::min(least, 1000.0 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

std::vector<Sample> extraction(const Points& scan) {
  std::vector<Sample> samples;
  for (const double voxel : {1.0, 0.7, 0.5, 0.4, 0.3, 0.25, 0.2, 0.15, 0.12}) {
    Options options = Options::lidar(voxel);
    options.threads = 1;
    const Registration registration(options);
    const double voxels = static_cast<double>(registration.extract(scan).cloud.size());
    samples.push_back({voxels, least_cpu_ms([&] { (void)registration.extract(scan); })});
    std::printf("extract  %8.0f voxels           %8.1f ms\n", voxels, samples.back().milliseconds);
  }
  return samples;
}

std::vector<Sample> alignment(const Points& source, const Points& target) {
  Options options = Options::lidar(0.3);
  options.threads = 1;
  const Registration registration(options);
  const Features a = registration.extract(source), b = registration.extract(target);
  const Eigen::Isometry3d truth = registration.align(a, b).T_target_source;
  std::vector<Sample> samples;
  for (const std::size_t count : {300, 1'000, 3'000, 10'000, 30'000, 100'000}) {
    datasets::Random random(count);
    const auto place = [&](const Features& f) {
      const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(f.cloud.size()) - 1));
      return Eigen::Vector3d(f.cloud.at(i) + f.cloud.origin);
    };
    std::vector<Correspondence> correspondences;
    while (correspondences.size() < count) {
      const Eigen::Vector3d p = place(a);
      correspondences.push_back({p, random.chance(0.05) ? Eigen::Vector3d(truth * p) : place(b)});
    }
    samples.push_back(
        {static_cast<double>(count), least_cpu_ms([&] { (void)registration.align(a, b, correspondences); })});
    std::printf("align    %8zu correspondences  %8.1f ms\n", count, samples.back().milliseconds);
  }
  return samples;
}

/// Both axes from zero, so that a straight line is a linear cost.
void draw(apps::Raster& raster, int left, const char* x_name, const std::vector<Sample>& samples, double x_step,
          double y_step) {
  constexpr int kPlot = 520, kTop = 70;
  constexpr apps::Color kInk{0.2f, 0.2f, 0.2f}, kGrid{0.88f, 0.88f, 0.88f}, kLine{0.0f, 0.45f, 0.7f};
  double x_max = x_step, y_max = y_step;
  for (const Sample& s : samples) {
    while (x_max < s.amount) x_max += x_step;
    while (y_max < s.milliseconds) y_max += y_step;
  }
  const auto x = [&](double value) { return static_cast<float>(left + kPlot * value / x_max); };
  const auto y = [&](double value) { return static_cast<float>(kTop + kPlot * (1.0 - value / y_max)); };
  const auto text = [](double value) {
    char digits[16];
    std::snprintf(digits, sizeof digits, "%.0f", value);
    return std::string(digits);
  };
  for (double value = 0.0; value <= x_max + 0.5; value += x_step) {
    raster.fill({static_cast<int>(x(value)), kTop, 1, kPlot}, kGrid);
    const std::string label = text(value);
    raster.write(static_cast<int>(x(value)) - apps::Raster::text_width(label, 2) / 2, kTop + kPlot + 14, label, 2,
                 kInk);
  }
  for (double value = 0.0; value <= y_max + 0.5; value += y_step) {
    raster.fill({left, static_cast<int>(y(value)), kPlot, 1}, kGrid);
    const std::string label = text(value);
    raster.write(left - 12 - apps::Raster::text_width(label, 2), static_cast<int>(y(value)) - 8, label, 2, kInk);
  }
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const float px = x(samples[k].amount), py = y(samples[k].milliseconds);
    raster.line(px, py, px, py, 9.0f, kLine);
    if (k > 0) raster.line(x(samples[k - 1].amount), y(samples[k - 1].milliseconds), px, py, 2.5f, kLine);
  }
  raster.write(left - 30, kTop - 44, "ms", 2, kInk);
  raster.write(left + kPlot / 2 - apps::Raster::text_width(x_name, 2) / 2, kTop + kPlot + 46, x_name, 2, kInk);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2 && argc != 4) return std::fprintf(stderr, "usage: parte_scaling PICTURE.png [SOURCE TARGET]\n"), 2;
  const datasets::World street = datasets::make_street(1);
  const datasets::RayTracer tracer(street.mesh);
  const auto scan = [&](int k) {
    if (argc == 4) return datasets::read_scan(argv[2 + k]);
    return datasets::scan_lidar(tracer, datasets::street_pose(street, 80.0 + 5.0 * k, 0.0, 0.0));
  };
  const Points source = scan(0), target = scan(1);
  const std::vector<Sample> extract = extraction(source), align = alignment(source, target);
  apps::Raster raster(1400, 690);
  draw(raster, 110, "voxels - extraction", extract, 10'000, 50);
  draw(raster, 810, "correspondences - alignment", align, 25'000, 500);
  raster.save(argv[1]);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parte_scaling: %s\n", error.what());
  return 1;
}
